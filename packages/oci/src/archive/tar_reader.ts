import { ImageArchiveInvalid } from '#oci/errors'
import type { ByteReader } from './byte_readers.js'

const BLOCK = 512
/** Longer names and pax headers are rejected. */
const MAX_EXTENSION_BYTES = 1024 ** 2
const MAX_ENTRIES = 200_000
const FILE_TYPES = ['0', '\0', '7']

export interface TarEntry {
  readonly path: string
  readonly size: number
  readonly kind: 'file' | 'link' | 'other'
  /** Link target as written in the archive. */
  readonly target: string
}

interface TarHeader extends TarEntry {
  readonly type: string
}

/** Fields from extension headers, which precede entries that do not fit into a plain header. */
interface ExtendedFields {
  path?: string
  target?: string
  size?: number
}

export interface ReadableEntry {
  readonly entry: TarEntry
  bytes(): AsyncGenerator<Buffer, void, undefined>
  /** Reads the whole entry; for entries known to be small. */
  readAll(): Promise<Buffer>
}

/** Yields the entries of a tar in order. Read an entry before requesting the next one. */
export async function* tarEntries(
  reader: ByteReader
): AsyncGenerator<ReadableEntry, void, undefined> {
  let extended: ExtendedFields = {}
  for (let count = 0; ; count++) {
    const block = await reader.read(BLOCK)
    if (block.length === BLOCK && isEmpty(block)) {
      return
    }
    const header = parseHeader(block)
    if (count >= MAX_ENTRIES) {
      throw new ImageArchiveInvalid(`The archive has more than ${MAX_ENTRIES} entries`)
    }
    if ('xgLK'.includes(header.type)) {
      extended = { ...extended, ...(await readExtension(reader, header)) }
      continue
    }
    const entry = { ...header, ...extended, path: normalizePath(extended.path ?? header.path) }
    extended = {}
    const content = new EntryContent(reader, entry)
    yield { entry, bytes: () => content.bytes(), readAll: () => content.readAll() }
    await reader.skip(content.left + paddingOf(entry.size))
  }
}

/** The unread remainder of an entry. */
class EntryContent {
  readonly #reader: ByteReader
  readonly #entry: TarEntry
  left: number

  constructor(reader: ByteReader, entry: TarEntry) {
    this.#reader = reader
    this.#entry = entry
    this.left = entry.size
  }

  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of this.#reader.chunks(this.left)) {
      this.left -= chunk.length
      yield chunk
    }
    this.#requireComplete()
  }

  async readAll(): Promise<Buffer> {
    const bytes = await this.#reader.read(this.left)
    this.left -= bytes.length
    this.#requireComplete()
    return bytes
  }

  #requireComplete(): void {
    if (this.left > 0) {
      throw new ImageArchiveInvalid(
        `The archive is truncated within ${JSON.stringify(this.#entry.path)}`
      )
    }
  }
}

async function readExtension(
  reader: ByteReader,
  { type, size }: TarHeader
): Promise<ExtendedFields> {
  if (size > MAX_EXTENSION_BYTES) {
    throw new ImageArchiveInvalid('The archive has an extension header of more than 1 MiB')
  }
  const bytes = await reader.read(size)
  await reader.skip(paddingOf(size))
  const text = bytes.toString().replace(/\0.*$/s, '')
  switch (type) {
    case 'L':
      return { path: text }
    case 'K':
      return { target: text }
    case 'x':
      return parsePax(bytes)
    default:
      return {}
  }
}

/** Parses pax records of the form `<length> <keyword>=<value>\n`. */
function parsePax(bytes: Buffer): ExtendedFields {
  const extended: ExtendedFields = {}
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, Math.max(space, at)))
    const record = bytes.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (space < 0 || !Number.isInteger(length) || length < 5 || equals < 0) {
      throw new ImageArchiveInvalid('The archive has an invalid pax record')
    }
    const value = record.slice(equals + 1)
    switch (record.slice(0, equals)) {
      case 'path':
        extended.path = value
        break
      case 'linkpath':
        extended.target = value
        break
      case 'size':
        extended.size = parseSize(value)
        break
    }
    at += length
  }
  return extended
}

function parseHeader(block: Buffer): TarHeader {
  if (block.length < BLOCK || !hasValidChecksum(block)) {
    throw new ImageArchiveInvalid('This is not a tar archive, or it is damaged or truncated')
  }
  const type = String.fromCodePoint(block[156]!)
  const isUstar = block.toString('latin1', 257, 262) === 'ustar'
  const isGnu = block.toString('latin1', 257, 265) === 'ustar  \0'
  const prefix = isUstar && !isGnu ? readText(block, 345, 155) : ''
  const name = readText(block, 0, 100)
  return {
    type,
    kind: FILE_TYPES.includes(type) ? 'file' : '12'.includes(type) ? 'link' : 'other',
    path: prefix === '' ? name : `${prefix}/${name}`,
    target: readText(block, 157, 100),
    size: '12345'.includes(type) ? 0 : readNumber(block, 124, 12),
  }
}

/** Octal digits, or a binary number if the first bit is set (sizes above 8 GiB). */
function readNumber(block: Buffer, at: number, length: number): number {
  if (block[at]! & 0x80) {
    const value = block.readBigUInt64BE(at + length - 8)
    return parseSize(String(value))
  }
  return parseSize(`0o${readText(block, at, length).trim() || '0'}`)
}

function parseSize(text: string): number {
  const size = Number(text)
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new ImageArchiveInvalid('The archive has an entry with an invalid size')
  }
  return size
}

function hasValidChecksum(block: Buffer): boolean {
  const extended = Number.parseInt(readText(block, 148, 8).trim(), 8)
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) {
    sum += at >= 148 && at < 156 ? 0 : block[at]!
  }
  return extended === sum
}

function readText(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

const isEmpty = (block: Buffer): boolean => block.every((byte) => byte === 0)

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** Paths are only compared with names inside the archive and never written to disk. */
const normalizePath = (path: string): string => path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
