import vine from '@vinejs/vine'

import { shape } from '#kernel/shape'

/** What registries take for the secret of an account; they refuse anything else, and would be asked for it for ever. */
const CHARACTER_RULE = {
  pattern: /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])/,
  description: 'A secret has at least one digit, and one letter each in upper and in lower case',
}

const MIN_LENGTH = 8
const MAX_LENGTH = 128

export const isRobotSecret = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && CHARACTER_RULE.pattern.test(text)

/** 8 to 128 characters, among them a digit, one in upper and one in lower case, of those that ASCII has. */
export const robotSecret = () =>
  vine.string().minLength(MIN_LENGTH).maxLength(MAX_LENGTH).use(shape(CHARACTER_RULE))
