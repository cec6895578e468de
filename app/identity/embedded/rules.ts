import vine from '@vinejs/vine'

import { clientName } from '#auth/client_name'
import { onlyAtCreation, optional, required } from '#records/column'

export const name = required(clientName)

const text = (most: number) => optional(vine.string().minLength(1).maxLength(most).nullable())

export const label = text(256)
export const description = text(4096)
export const shortText = text(128)
export const wordList = text(512)
export const address = text(2048)

export const reference = optional(vine.string().uuid().nullable())
export const flag = optional(vine.boolean({ strict: true }))

/** The realm of a record that may also be of none, which is said with null. */
export const ofAnyRealm = onlyAtCreation(vine.string().uuid().nullable().optional())
