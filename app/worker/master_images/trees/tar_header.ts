import { SourceRejected } from './source_errors.js'

export const BLOCK = 512

export interface TarHeader {
  readonly name: string
  readonly linkName: string
  readonly size: number
  readonly mode: number
  /** One character, as tar writes it. */
  readonly type: string
}

/** The header of an entry; undefined for the empty block that ends an archive. */
export function readHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) {
    return undefined
  }
  if (Number.parseInt(text(block, 148, 8), 8) !== checksum(block)) {
    throw new SourceRejected('it is not a tar archive, or it is damaged')
  }
  const isUstar = block.toString('latin1', 257, 262) === 'ustar'
  const prefix = isUstar && block[263] === 0x30 ? text(block, 345, 155) : ''
  const name = text(block, 0, 100)
  return {
    name: prefix ? `${prefix}/${name}` : name,
    linkName: text(block, 157, 100),
    size: number(block, 124, 12),
    mode: number(block, 100, 8),
    type: String.fromCharCode(block[156] ?? 0),
  }
}

/** What a header of pax says of the entry behind it: lines of the form `<length> <key>=<value>`. */
export function readPax(bytes: Buffer): ReadonlyMap<string, string> {
  const said = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, space))
    const line = bytes.toString('utf8', space + 1, at + length - 1)
    const equals = line.indexOf('=')
    if (space === -1 || !Number.isInteger(length) || length < 5 || equals < 1) {
      throw new SourceRejected('an entry of its archive has a damaged header')
    }
    said.set(line.slice(0, equals), line.slice(equals + 1))
    at += length
  }
  return said
}

function checksum(block: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) {
    sum += at >= 148 && at < 156 ? 0 : block[at]!
  }
  return sum
}

function text(block: Buffer, from: number, length: number): string {
  const end = block.indexOf(0, from)
  return block.toString('utf8', from, end === -1 ? from + length : Math.min(end, from + length))
}

/** Octal digits. Sizes above 8 GiB are written otherwise, and never occur in what images are built from. */
function number(block: Buffer, from: number, length: number): number {
  const digits = text(block, from, length).trim()
  if (!/^[0-7]*$/.test(digits)) {
    throw new SourceRejected('an entry of its archive has a damaged header')
  }
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}
