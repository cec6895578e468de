import app from '@adonisjs/core/services/app'

import type { MessageQuotas } from '#messenger/messages/store_messages'

/** The limits of messages: `config/messenger.ts`. */
export interface MessengerSettings extends MessageQuotas {
  readonly messageMaxBytes: number
  readonly messageMaxRecipients: number
}

export const messengerSettings = (): MessengerSettings => app.config.get('messenger')
