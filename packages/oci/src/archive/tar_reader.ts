import { ImageArchiveInvalid } from '#oci/errors'
import type { ByteReader } from './byte_readers.js'

const BLOCK = 512
const FILE_TYPES = ['0', '\0', '7']

export interface TarEntry {
  /** Without leading `./` and slashes at either end. */
  readonly path: string
  /** Path as written in the archive. */
  readonly name: string
  readonly size: number
  readonly mode: number
  /** Type flag of the header. */
  readonly type: string
  readonly kind: 'file' | 'link' | 'other'
  /** Link target as written in the archive. */
  readonly target: string
}

export interface TarReaderOptions {
  readonly maxEntries?: number
  /** Longer names and pax headers are rejected. */
  readonly maxExtensionBytes?: number
  /** Called with the records of a global pax header. */
  readonly onGlobalRecords?: (records: ReadonlyMap<string, string>) => void
}

type TarHeader = Omit<TarEntry, 'path' | 'kind'>

/** Fields from extension headers, which precede entries that do not fit into a plain header. */
interface ExtendedFields {
  name?: string
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
  reader: ByteReader,
  { maxEntries = 200_000, maxExtensionBytes = 1024 ** 2, onGlobalRecords }: TarReaderOptions = {}
): AsyncGenerator<ReadableEntry, void, undefined> {
  let extended: ExtendedFields = {}
  for (let count = 0; ; count++) {
    const block = await reader.read(BLOCK)
    if (block.length === BLOCK && isEmpty(block)) {
      return
    }
    const header = parseHeader(block)
    if (count >= maxEntries) {
      throw new ImageArchiveInvalid(`The archive has more than ${maxEntries} entries`)
    }
    if (header.type === 'g') {
      onGlobalRecords?.(parsePax(await readExtension(reader, header, maxExtensionBytes)))
      continue
    }
    if ('xLK'.includes(header.type)) {
      const bytes = await readExtension(reader, header, maxExtensionBytes)
      extended = { ...extended, ...extendedFields(header, bytes) }
      continue
    }
    const entry = entryOf(header, extended)
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

function entryOf(header: TarHeader, extended: ExtendedFields): TarEntry {
  const { name, target, size } = { ...header, ...extended }
  return {
    ...header,
    name,
    path: normalizePath(name),
    target,
    size: hasContent(header) ? size : 0,
    kind: FILE_TYPES.includes(header.type) ? 'file' : '12'.includes(header.type) ? 'link' : 'other',
  }
}

async function readExtension(
  reader: ByteReader,
  { size }: TarHeader,
  maxBytes: number
): Promise<Buffer> {
  if (size > maxBytes) {
    throw new ImageArchiveInvalid(
      `The archive has an extension header of more than ${maxBytes} bytes`
    )
  }
  const bytes = await reader.read(size)
  await reader.skip(paddingOf(size))
  return bytes
}

function extendedFields({ type }: TarHeader, bytes: Buffer): ExtendedFields {
  const text = bytes.toString().replace(/\0.*$/s, '')
  if (type === 'L') {
    return { name: text }
  }
  if (type === 'K') {
    return { target: text }
  }
  const records = parsePax(bytes)
  const [name, target, size] = ['path', 'linkpath', 'size'].map((key) => records.get(key))
  return {
    ...(name !== undefined && { name }),
    ...(target !== undefined && { target }),
    ...(size !== undefined && { size: parseSize(size) }),
  }
}

/** Parses pax records of the form `<length> <keyword>=<value>\n`. */
function parsePax(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, Math.max(space, at)))
    const record = bytes.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (space < 0 || !Number.isInteger(length) || length < 5 || equals < 0) {
      throw new ImageArchiveInvalid('The archive has an invalid pax record')
    }
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
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
    name: prefix === '' ? name : `${prefix}/${name}`,
    target: readText(block, 157, 100),
    size: hasContent({ type }) ? readNumber(block, 124, 12) : 0,
    mode: Number.parseInt(readText(block, 100, 8), 8) || 0,
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
  const checksum = Number.parseInt(readText(block, 148, 8).trim(), 8)
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) {
    sum += at >= 148 && at < 156 ? 0 : block[at]!
  }
  return checksum === sum
}

function readText(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

const hasContent = ({ type }: Pick<TarHeader, 'type'>): boolean => !'12345'.includes(type)

const isEmpty = (block: Buffer): boolean => block.every((byte) => byte === 0)

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** Paths are only compared with names inside the archive and never written to disk. */
const normalizePath = (path: string): string => path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
