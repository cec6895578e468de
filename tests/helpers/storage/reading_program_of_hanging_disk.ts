/** The program that reads small files, for which what is called "hanging" blocks until somebody writes into it. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { openSync } = fs
fs.openSync = (path, flags, mode) =>
  openSync(path, String(path).endsWith('/hanging') ? 'r' : flags, mode)
syncBuiltinESMExports()

await import(new URL('../../../app/storage/objects/fs/reading_program.ts', import.meta.url).href)
