import { defineConfig } from '@adonisjs/core/bodyparser'

/** Values arrive as they were sent: blanks are not trimmed, empty text is not null. */
const asSent = { convertEmptyStringsToNull: false, trimWhitespaces: false }

const BODY_LIMIT = '1mb'

export default defineConfig({
  allowedMethods: ['POST'],
  json: { ...asSent, limit: BODY_LIMIT, types: ['application/json'] },
  form: { ...asSent, limit: BODY_LIMIT, types: ['application/x-www-form-urlencoded'] },
  raw: { types: [] },
  multipart: { ...asSent, autoProcess: false },
})
