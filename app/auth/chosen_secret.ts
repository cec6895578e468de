import vine from '@vinejs/vine'

import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'

const MIN_LENGTH = 8
const SHORT_LENGTH = 16

/** Secrets that attackers try first. */
const COMMON_SECRETS = new Set(
  `password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword passwort passwort1 passwort123
  start123 start1234 changeme change-me change_me letmein1 letmein123 welcome1 welcome123 willkommen willkommen1
  qwertyui qwertyuiop qwerty12 qwerty123 qwertz123 qwertzui qwertzuiop asdfghjk asdfghjkl 1q2w3e4r 1q2w3e4r5t q1w2e3r4 zaq12wsx 1qaz2wsx
  abcdefgh abcd1234 abc12345 a1b2c3d4 iloveyou iloveyou1 sunshine princess football baseball superman starwars trustno1
  dragon123 monkey123 master123 shadow123 michael1 computer internet whatever samsung1
  admin123 admin1234 administrator adminadmin root1234 rootroot test1234 testtest testtest1 demo1234 default1
  secret123 secret1234 topsecret geheim123 hallo123 hallo1234 analysis hospital`
    .split(/\s+/)
    .concat(['12345678', '87654321', '123123123', '12341234', '11223344', '98765432', '11112222'])
)

const notCommon = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && isCommon(value)) {
    field.report('This is a commonly used secret: choose another one', 'chosen', field)
  }
})

/** The rule for a secret or password that a person chose. */
export const chosenSecret = (most: number) =>
  vine.string().minLength(MIN_LENGTH).maxLength(most).use(notCommon())

/** Throws if a chosen secret equals the name of its account. */
export function requireUnlikeName(
  key: 'secret' | 'password',
  chosen: unknown,
  name: unknown
): void {
  if (typeof chosen === 'string' && typeof name === 'string' && equalsIgnoringCase(chosen, name)) {
    const message = 'It equals the name of the account: choose another one'
    throw BadRequest.attribute(issue('value_invalid', [key], message))
  }
}

/** Whether it is a common secret, or a short one of a repeated character or a sequence. */
function isCommon(secret: string): boolean {
  const lower = secret.toLowerCase()
  const isShort = lower.length < SHORT_LENGTH
  return COMMON_SECRETS.has(lower) || (isShort && [0, 1, -1].some((step) => isStep(lower, step)))
}

const isStep = (text: string, step: number) =>
  [...text].every((_, at) => at === 0 || text.charCodeAt(at) === text.charCodeAt(at - 1) + step)

const equalsIgnoringCase = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
