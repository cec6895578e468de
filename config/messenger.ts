import type { MessengerSettings } from '#messenger/messenger_settings'
import { env } from '#start/env'

const settings: MessengerSettings = {
  messageMaxBytes: env.MESSAGE_MAX_BYTES,
  messageMaxRecipients: env.MESSAGE_MAX_RECIPIENTS,
}

export default settings
