import type { Readable } from 'node:stream'

interface TarFile {
  readonly path: string
  readonly modifiedAt: Date
  /** The digest of its content, in lower-case hexadecimal digits; null for older files. */
  readonly sha256: string | null
}

/** A file of a tar and access to its content. */
export interface TarEntry extends TarFile {
  /** The recorded size; a tar requires it. */
  readonly size: number | null
  open(): Promise<Readable>
}

export interface SmallTarFile extends TarFile {
  readonly size: number
}

/** Adjacent small files of a tar, read at once. */
export interface TarRun {
  readonly files: readonly SmallTarFile[]
  /** The content of each file, of its exact size, or the error. */
  read(): Promise<readonly (Buffer | Error)[]>
}
