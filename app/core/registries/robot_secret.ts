import vine from '@vinejs/vine'

import { shape } from '#kernel/shape'

/** The rule of registries for secrets of accounts. They reject any other secret, at each retry. */
const CHARACTER_RULE = {
  pattern: /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])/,
  description: 'A secret needs at least one digit, one upper-case and one lower-case letter',
}

const MIN_LENGTH = 8
const MAX_LENGTH = 128

export const isRobotSecret = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && CHARACTER_RULE.pattern.test(text)

/** 8 to 128 characters with at least one digit, one upper-case and one lower-case ASCII letter. */
export const robotSecret = () =>
  vine.string().minLength(MIN_LENGTH).maxLength(MAX_LENGTH).use(shape(CHARACTER_RULE))
