/** The flag that lets Node.js run TypeScript in a process that a test starts. */
export const RUN_TYPESCRIPT = `--import=${import.meta.resolve('../../bin/bootstrap/typescript.mjs')}`
