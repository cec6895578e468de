import { isIP } from 'node:net'
import type { Reader } from './catalogue.js'
import { InvalidValueError } from './configuration_error.js'

/** A list of known words, returned in their defined order; `none` is the empty list. */
export function listOf<const Word extends string>(
  words: readonly Word[],
  synonyms: Readonly<Record<string, Word>> = {}
): Reader<readonly Word[]> {
  return {
    type: `a comma list of ${words.join(', ')}, or none`,
    quotable: true,
    read(value) {
      if (isNone(value)) {
        return []
      }
      const named = split(value).map(
        (entry) => synonyms[entry.toLowerCase()] ?? entry.toLowerCase()
      )
      if (!named.every((entry) => words.some((word) => word === entry))) {
        throw new InvalidValueError('contains an unknown word')
      }
      return words.filter((word) => named.includes(word))
    },
  }
}

/** Web origins such as `https://hub.example.org`, normalized to the form that browsers send. */
export function origins(): Reader<readonly string[]> {
  return listWhere('origins such as https://hub.example.org', (entry) => {
    const origin = URL.parse(entry)?.origin
    const isBare = /^https?:\/\/[^/?#@\\]+\/?$/i.test(entry)
    return isBare ? origin : undefined
  })
}

const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i

const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, CIDR blocks or the named ranges that `proxy-addr` knows. */
export function proxies(): Reader<readonly string[]> {
  return listWhere(`IP addresses, CIDR blocks, ${RANGES.join(', ')}`, (entry) =>
    RANGES.includes(entry) || isAddressBlock(entry) ? entry : undefined
  )
}

/** Hosts such as `harbor.example.org` or `harbor.example.org:8443`, in lower case. */
export function hostsAndPorts(): Reader<readonly string[]> {
  return listWhere('hosts such as harbor.example.org or harbor.example.org:8443', (entry) =>
    HOST_AND_PORT.test(entry) ? entry.toLowerCase() : undefined
  )
}

/** Keys of 32 or more characters, without commas. */
export function keys(): Reader<readonly string[]> {
  return listWhere('keys of at least 32 characters', (entry) =>
    entry.length >= 32 ? entry : undefined
  )
}

/** A list whose entries are validated one by one; errors name the number of an invalid entry. */
export function listWhere(
  type: string,
  accept: (entry: string) => string | undefined
): Reader<readonly string[]> {
  return {
    type: `a comma list of ${type}, or none`,
    quotable: false,
    read(value) {
      if (isNone(value)) {
        return []
      }
      const accepted = split(value).map((entry, index) => {
        const result = accept(entry)
        if (result === undefined) {
          throw new InvalidValueError(`contains an invalid entry (number ${index + 1})`)
        }
        return result
      })
      return [...new Set(accepted)]
    },
  }
}

function isNone(value: string): boolean {
  return value.trim().toLowerCase() === 'none'
}

function isAddressBlock(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) {
    return false
  }
  if (prefix === undefined) {
    return true
  }
  const bits = Number(prefix)
  return /^\d{1,3}$/.test(prefix) && bits >= 1 && bits <= (version === 4 ? 32 : 128)
}

function split(value: string): string[] {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length === 0) {
    throw new InvalidValueError('is an empty list')
  }
  return entries
}
