import type { Readable } from 'node:stream'

/** A file of a tar, and how to get at its bytes. */
export interface TarEntry {
  readonly path: string
  /** What the record says; without it there can be no tar of the file. */
  readonly size: number | null
  readonly modifiedAt: Date
  /** Of its bytes when they were stored, in lower-case hexadecimal digits; null where it was not taken then. */
  readonly sha256: string | null
  open(): Promise<Readable>
}
