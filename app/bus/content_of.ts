import { errors } from '@vinejs/vine'

import type { BodyValidator } from '#kernel/body'
import { bodyFailure } from '#kernel/body_issues'
import { MalformedMessage } from './errors.js'
import type { Message } from './message.js'

/** What a message carries, as its handler may use it; throws `MalformedMessage` where it is not what it should be. */
export async function contentOf<Data>(
  { data }: Message,
  validator: Pick<BodyValidator<Data>, 'validate'>
): Promise<Data> {
  try {
    return await validator.validate(data)
  } catch (error) {
    if (error instanceof errors.E_VALIDATION_ERROR) {
      throw new MalformedMessage(bodyFailure(error).message)
    }
    throw error
  }
}
