import vine from '@vinejs/vine'

/** What registries take for the secret of an account; they refuse anything else, and would be asked for it for ever. */
const STRONG = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])/

const SHORTEST = 8
const LONGEST = 128

export const isRobotSecret = (text: string): boolean =>
  text.length >= SHORTEST && text.length <= LONGEST && STRONG.test(text)

/** 8 to 128 characters, among them a digit, one in upper and one in lower case, of those that ASCII has. */
export const robotSecret = () => vine.string().minLength(SHORTEST).maxLength(LONGEST).regex(STRONG)
