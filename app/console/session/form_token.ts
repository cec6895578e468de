import { createHmac, timingSafeEqual } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { clock } from '#kernel/clock'
import type { ConsoleSession } from './console_session.js'

/** The name of the field in every form. */
export const FORM_TOKEN_FIELD = '_token'

type FormSession = Pick<ConsoleSession, 'formSecret'>

/** A token that binds a form to a session. Each differs, so that compressed pages do not reveal the secret. */
export function newFormToken(session: FormSession): string {
  const salt = clock.random(12).toString('base64url')
  return `${salt}.${signatureOf(session, salt)}`
}

/** Whether a form has the token of this session and was submitted from a page of the console. */
export function isOwnForm({ request }: HttpContext, session: FormSession, token: unknown): boolean {
  const site = request.header('sec-fetch-site')
  return (site === undefined || site === 'same-origin') && isValid(session, token)
}

function isValid(session: FormSession, token: unknown): boolean {
  if (typeof token !== 'string') {
    return false
  }
  const [salt = '', signature = ''] = token.split('.')
  const expected = Buffer.from(signatureOf(session, salt))
  const actual = Buffer.from(signature)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function signatureOf({ formSecret }: FormSession, salt: string): string {
  return createHmac('sha256', formSecret).update(salt).digest('base64url')
}
