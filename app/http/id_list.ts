import type { HttpContext } from '@adonisjs/core/http'

import { BadRequest } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { issue } from '#kernel/issues'
import type { Parameter } from './surface.js'

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** As many as one request may name, so that none takes long. */
const MAX_IDS = 50

/** A required parameter with several ids. */
export const idListParameter = (name: string, subject: string): Parameter => ({
  name,
  description: `The ids of up to ${MAX_IDS} ${subject}, separated by commas`,
  schema: { type: 'string', pattern: `^${UUID}(,${UUID}){0,${MAX_IDS - 1}}$` },
  required: true,
})

/** The ids of such a parameter. */
export function idListIn({ request }: HttpContext, name: string): string[] {
  const ids = String(request.qs()[name] ?? '').split(',')
  if (ids.length > MAX_IDS || !ids.every(isUuid)) {
    const message = `\`${name}\` must be 1 to ${MAX_IDS} ids, separated by commas`
    throw new BadRequest(message, { issues: [issue('value_invalid', [name], message)] })
  }
  return ids
}
