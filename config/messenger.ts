import type { MessengerSettings } from '#messenger/messenger_settings'
import { env } from '#start/env'

const settings: MessengerSettings = {
  messageMaxBytes: env.MESSAGE_MAX_BYTES,
  messageMaxRecipients: env.MESSAGE_MAX_RECIPIENTS,
  mailboxMaxBytes: env.MAILBOX_MAX_BYTES,
  senderMaxBytes: env.SENDER_MAX_BYTES,
  senderMaxMessages: env.SENDER_MAX_MESSAGES,
}

export default settings
