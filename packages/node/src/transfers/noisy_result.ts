import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'

import { GatewayError } from '#node/gateway/errors'

/** The sensitivity: how far one person can change the number. The epsilon: how much it may reveal about a person. */
export interface NoiseAmount {
  readonly sensitivity: number
  readonly epsilon: number
}

const MAX_BYTES = 1024
const STEPS_PER_SCALE = 2 ** 20
const UNIFORM_BITS = 53n

/** Adds noise to the number in a file, for differential privacy. */
export async function addNoiseTo(
  path: string,
  { epsilon, sensitivity }: Readonly<Record<string, string>>
): Promise<void> {
  const amount = { epsilon: numberIn(epsilon), sensitivity: numberIn(sensitivity) }
  if (!(amount.epsilon > 0 && amount.sensitivity > 0)) {
    throw new GatewayError(400, 'Noise needs an epsilon and a sensitivity above 0')
  }
  const { size } = await stat(path)
  const number = size > MAX_BYTES ? Number.NaN : numberIn(await readFile(path, 'utf8'))
  const noisy = withNoise(number, amount)
  if (!Number.isFinite(noisy)) {
    throw new GatewayError(
      400,
      'A result with noise is a single number, at most eight billion times as large as its noise'
    )
  }
  await writeFile(path, String(noisy))
}

/**
 * Adds Laplace noise to a number; NaN if the number is too precise. Both are rounded to multiples of a step that
 * depends on the noise only, since the last digits of an unrounded sum reveal the number.
 */
export function withNoise(number: number, { epsilon, sensitivity }: NoiseAmount): number {
  const step = 2 ** Math.ceil(Math.log2(sensitivity / epsilon)) / STEPS_PER_SCALE
  const steps = Math.round(number / step)
  // Rounding changes a number by up to another step.
  const decay = (step * epsilon) / (sensitivity + step)
  const noisy = steps + geometric(decay) - geometric(decay)
  return Number.isSafeInteger(steps) && Number.isSafeInteger(noisy) ? noisy * step : Number.NaN
}

/** The length of a random walk whose chance to continue shrinks by `exp(-decay)` with each step. */
function geometric(decay: number): number {
  const bits = randomBytes(8).readBigUInt64BE() >> (64n - UNIFORM_BITS)
  const uniform = (Number(bits) + 1) / 2 ** Number(UNIFORM_BITS)
  return Math.floor(Math.log(uniform) / -decay)
}

const numberIn = (text = ''): number => (text.trim() === '' ? Number.NaN : Number(text))
