/** Path of the library for a connection's loadExtension. Throws where no package is installed for this platform. */
export declare function getLoadablePath(): string;

/** Loads the extension into a connection of better-sqlite3, or of node:sqlite with `allowExtension: true`. */
export declare function load(db: { loadExtension(path: string): unknown }): void;
