import vine from '@vinejs/vine'

import { shape } from '#kernel/shape'

/** What registries take for the secret of an account; they refuse anything else, and would be asked for it for ever. */
const STRONG = {
  pattern: /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])/,
  says: 'A secret has at least one digit, and one letter each in upper and in lower case',
}

const SHORTEST = 8
const LONGEST = 128

export const isRobotSecret = (text: string): boolean =>
  text.length >= SHORTEST && text.length <= LONGEST && STRONG.pattern.test(text)

/** 8 to 128 characters, among them a digit, one in upper and one in lower case, of those that ASCII has. */
export const robotSecret = () =>
  vine.string().minLength(SHORTEST).maxLength(LONGEST).use(shape(STRONG))
