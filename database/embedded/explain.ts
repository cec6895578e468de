import { statfs } from 'node:fs/promises'
import type { DataFolder } from './data_folder.js'
import {
  DataFolderInaccessible,
  DiskFull,
  EmbeddedPostgresError,
  PasswordRefused,
  PostgresFailed,
} from './errors.js'

const invalidPassword = '28P01'
const megabyte = 1024 * 1024
const leastSpace = 64

/** Converts a failed start into an error with advice. Errors that have advice already are returned unchanged. */
export async function explain(error: unknown, folder: DataFolder): Promise<unknown> {
  if (error instanceof EmbeddedPostgresError && !(error instanceof PostgresFailed)) {
    return error
  }
  const free = await freeMegabytes(folder.path)
  if (free < leastSpace) {
    return new DiskFull(folder.path, free, { cause: error })
  }
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === invalidPassword) {
    return new PasswordRefused(folder.passwordFile, { cause: error })
  }
  if (syscall) {
    return new DataFolderInaccessible(folder.path, message, { cause: error })
  }
  return error
}

async function freeMegabytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return Math.floor((bavail * bsize) / megabyte)
}
