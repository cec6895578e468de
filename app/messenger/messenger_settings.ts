import app from '@adonisjs/core/services/app'

/** The limits of messages: `config/messenger.ts`. */
export interface MessengerSettings {
  readonly messageMaxBytes: number
  readonly messageMaxRecipients: number
}

export const messengerSettings = (): MessengerSettings => app.config.get('messenger')
