import type { Texts } from '#http/texts'

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const SHORT_ID = 8

/** Formats values for pages. */
export class Formats {
  readonly #relative: Intl.RelativeTimeFormat
  readonly #numbers: Intl.NumberFormat

  constructor({ language }: Pick<Texts, 'language'>) {
    this.#relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
    this.#numbers = new Intl.NumberFormat(language)
  }

  /** How long ago or ahead a time is, in its largest unit. */
  age(at: number, now: number): string {
    const seconds = Math.round((at - now) / 1_000)
    const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1]
    return this.#relative.format(Math.trunc(seconds / size), unit)
  }

  number(value: number): string {
    return this.#numbers.format(value)
  }

  bytes(value: number): string {
    const power = value < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(value) / 10))
    const amount = value / 1024 ** power
    return `${this.#numbers.format(Number(amount.toFixed(power === 0 ? 0 : 1)))} ${SIZES[power]}`
  }
}

/** The first characters of an id, enough to tell records of a page apart. */
export const shortId = (id: string): string => id.slice(0, SHORT_ID)

/** A time in UTC to the second, the format of the whole platform. */
export const utcText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
