import type { Readable } from 'node:stream'

interface TarFile {
  readonly path: string
  readonly modifiedAt: Date
  /** Of its bytes when they were stored, in lower-case hexadecimal digits; null where it was not taken then. */
  readonly sha256: string | null
}

/** A file of a tar, and how to get at its bytes. */
export interface TarEntry extends TarFile {
  /** What the record says; without it there can be no tar of the file. */
  readonly size: number | null
  open(): Promise<Readable>
}

export interface SmallTarFile extends TarFile {
  readonly size: number
}

/** Small files of a tar that follow each other, whose bytes are read at once. */
export interface TarRun {
  readonly files: readonly SmallTarFile[]
  /** What each of them has, or why it has none; all of as many bytes as they should have. */
  read(): Promise<readonly (Buffer | Error)[]>
}
