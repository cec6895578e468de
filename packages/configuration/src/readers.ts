import type { Reader } from './catalogue.js'
import { InvalidValueError } from './configuration_error.js'

interface TextOptions {
  min?: number
  shape?: RegExp
  type?: string
}

/** Any text, unchanged. */
export function text({ min = 1, shape, type }: TextOptions = {}): Reader<string> {
  return {
    type: type ?? (min > 1 ? `text of at least ${min} characters` : 'text'),
    quotable: false,
    read(value) {
      if (value.length < min) {
        throw new InvalidValueError(`is shorter than ${min} characters`)
      }
      if (shape && !shape.test(value)) {
        throw new InvalidValueError('contains characters that are not allowed')
      }
      return value
    },
  }
}

/** A host name or address, without protocol and port. */
export function host(): Reader<string> {
  return text({ shape: /^[\w.:-]+$/, type: 'a host name or an IP address' })
}

export function integer(min: number, max: number): Reader<number> {
  return {
    type: `an integer from ${min} to ${max}`,
    quotable: true,
    read(value) {
      if (!/^[+-]?\d+$/.test(value.trim())) {
        throw new InvalidValueError('is not a whole number')
      }
      const number = Number(value)
      if (number < min || number > max) {
        throw new InvalidValueError('is out of range')
      }
      return number
    },
  }
}

/** A decimal from 0 to 1. */
export function share(): Reader<number> {
  return {
    type: 'a number from 0 to 1',
    quotable: true,
    read(value) {
      if (!/^(0|1|0?\.\d+|1\.0+)$/.test(value.trim())) {
        throw new InvalidValueError('is not a number from 0 to 1')
      }
      return Number(value)
    },
  }
}

const YES = ['true', '1', 'yes', 'on']
const NO = ['false', '0', 'no', 'off']

export function flag(): Reader<boolean> {
  return {
    type: 'true or false',
    quotable: true,
    read(value) {
      const word = value.trim().toLowerCase()
      if (!YES.includes(word) && !NO.includes(word)) {
        throw new InvalidValueError('is neither true nor false')
      }
      return YES.includes(word)
    },
  }
}

export function oneOf<const Word extends string>(...words: readonly Word[]): Reader<Word> {
  return {
    type: `one of ${words.join(', ')}`,
    quotable: true,
    read(value) {
      const found = words.find((word) => word === value.trim().toLowerCase())
      if (found === undefined) {
        throw new InvalidValueError('is not one of the known words')
      }
      return found
    },
  }
}

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

/** A size: a number of bytes, or a number with a unit. */
export function bytes(min = 0): Reader<number> {
  return {
    type: `a number of bytes${min > 0 ? ` from ${min}` : ''}, also with a unit (64MiB, 10GB)`,
    quotable: true,
    read(value) {
      const [, amount, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b)?$/i.exec(value.trim()) ?? []
      const factor = UNITS[unit.toLowerCase()]
      if (amount === undefined || factor === undefined) {
        throw new InvalidValueError('is not a size')
      }
      const size = Math.round(Number(amount) * factor)
      if (size < min || !Number.isSafeInteger(size)) {
        throw new InvalidValueError('is out of range')
      }
      return size
    },
  }
}
