/** The header fields of a file, folder or symbolic link in a tar archive. */
export interface TarFile {
  readonly path: string
  readonly size: number
  readonly modifiedAt: Date
  /** The permission bits; readable by everyone by default. */
  readonly mode?: number
  readonly isFolder?: boolean
  /** Where a symbolic link leads to. */
  readonly target?: string
  /** The user that owns it; root by default. */
  readonly owner?: number
}

const BLOCK = 512

const NAME_BYTES = 100
const PREFIX_BYTES = 155
const LARGEST_OCTAL = 8 ** 11 - 1
const FILE = 0o644
const TYPES = { file: '0', link: '2', folder: '5', records: 'x' }

const ASCII = /^[\u0020-\u007e]*$/

/**
 * The header blocks of an entry: a plain ustar header if path and size fit into it, otherwise preceded by pax records.
 */
export function tarHeader(file: TarFile): Buffer {
  const { path, size, modifiedAt, mode = FILE, target = '', owner = 0 } = file
  const split = splitPath(path)
  const records = [
    ...(split ? [] : [paxRecord('path', path)]),
    ...(isPlain(target) ? [] : [paxRecord('linkpath', target)]),
    ...(size > LARGEST_OCTAL ? [paxRecord('size', String(size))] : []),
  ]
  const mtime = Math.max(0, Math.floor(modifiedAt.getTime() / 1000))
  const named = split ?? { name: cut(path), prefix: '' }
  const header = block({
    ...named,
    size,
    mtime,
    mode,
    owner,
    type: typeOf(file),
    target: cut(target),
  })
  if (records.length === 0) {
    return header
  }
  const content = Buffer.from(records.join(''))
  const announcement = {
    name: 'pax_header',
    prefix: '',
    size: content.length,
    mtime,
    mode: FILE,
    owner: 0,
    type: TYPES.records,
    target: '',
  }
  return Buffer.concat([block(announcement), padded(content), header])
}

/** The zeros that pad the last block of an entry. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

/** The end-of-archive marker. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK)
}

function typeOf({ isFolder, target }: TarFile): string {
  return isFolder ? TYPES.folder : target === undefined ? TYPES.file : TYPES.link
}

const isPlain = (text: string): boolean => ASCII.test(text) && text.length <= NAME_BYTES

/** Splits a path at a slash into the two fields of a plain header; undefined if it does not fit. */
function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (!ASCII.test(path)) {
    return undefined
  }
  if (path.length <= NAME_BYTES) {
    return { name: path, prefix: '' }
  }
  const slash = path.indexOf('/', path.length - NAME_BYTES - 1)
  if (slash < 1 || slash > PREFIX_BYTES || slash === path.length - 1) {
    return undefined
  }
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) }
}

interface Fields {
  name: string
  prefix: string
  size: number
  mtime: number
  mode: number
  owner: number
  type: string
  target: string
}

/** The constant fields of a header. The checksum is computed with spaces in its place. */
const PLAIN = Buffer.alloc(BLOCK)
PLAIN.write(octal(0, 7), 108)
PLAIN.write(octal(0, 7), 116)
PLAIN.write(' '.repeat(8), 148)
PLAIN.write('ustar\0' + '00', 257)
PLAIN.write(octal(0, 7), 329)
PLAIN.write(octal(0, 7), 337)

function block({ name, prefix, size, mtime, mode, owner, type, target }: Fields): Buffer {
  const header = Buffer.from(PLAIN)
  header.write(name, 0, NAME_BYTES)
  header.write(octal(mode, 7), 100)
  header.write(octal(owner, 7), 108)
  writeSize(header, size)
  header.write(octal(Math.min(mtime, LARGEST_OCTAL), 11), 136)
  header.write(type, 156)
  header.write(target, 157, NAME_BYTES)
  header.write(prefix, 345, PREFIX_BYTES)
  let sum = 0
  for (let at = 0; at < BLOCK; at++) {
    sum += header[at]!
  }
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** Readers without pax support read the size as a binary number, marked by its first bit. */
function writeSize(header: Buffer, size: number): void {
  if (size <= LARGEST_OCTAL) {
    header.write(octal(size, 11), 124)
    return
  }
  header.writeUInt8(0x80, 124)
  header.writeBigUInt64BE(BigInt(size), 128)
}

/** A pax record starts with its length, which includes the digits of the length itself. */
function paxRecord(keyword: string, value: string): string {
  const rest = Buffer.byteLength(` ${keyword}=${value}\n`)
  let length = rest
  while (length !== rest + String(length).length) {
    length = rest + String(length).length
  }
  return `${length} ${keyword}=${value}\n`
}

/** Truncates a path to the name field without splitting a character. */
function cut(path: string): string {
  let start = path
  while (Buffer.byteLength(start) > NAME_BYTES) {
    start = [...start].slice(0, -1).join('')
  }
  return start
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, padding(bytes.length)])
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
