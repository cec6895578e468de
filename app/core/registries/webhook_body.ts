import vine from '@vinejs/vine'

import { body } from '#kernel/body'

const text = (least: number, most: number) => vine.string().minLength(least).maxLength(most)

/** The body of a Harbor webhook request. */
export const webhookBody = body({
  type: text(1, 64),
  occur_at: vine.number().optional(),
  operator: text(3, 128),
  event_data: vine.object({
    repository: vine.object({
      name: text(1, 255),
      repo_full_name: text(3, 511),
      namespace: text(1, 255),
      date_created: vine.number().optional(),
      repo_type: vine.string().maxLength(64).optional(),
    }),
    resources: vine
      .array(
        vine.object({
          digest: vine.string().maxLength(256),
          tag: text(1, 128),
          resource_url: vine.string().maxLength(1024),
        })
      )
      .maxLength(100),
  }),
})
