import { errors } from '@vinejs/vine'

import type { BodyValidator } from '#kernel/body'
import { bodyFailure } from '#kernel/body_issues'
import { MalformedMessage } from './errors.js'
import type { Message } from './message.js'

/** Validates the data of a message; throws `MalformedMessage` if it is invalid. */
export async function validatedData<Data>(
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
