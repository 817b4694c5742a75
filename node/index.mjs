import library from "./index.cjs";

export const { getLoadablePath, load } = library;
