let service: Promise<typeof import('@adonisjs/core/services/encryption')> | undefined

/** The application's encryption. It exists once the application has booted, which is after routes were declared. */
function loaded() {
  return (service ??= import('@adonisjs/core/services/encryption'))
}

/** What was encrypted for one purpose is nothing for another. */
type Purpose = 'client secret' | 'signing key' | 'login form'

/** Seals a value with the application key, for `expiresIn` where that is given. */
export async function seal(purpose: Purpose, value: string, expiresIn?: string): Promise<string> {
  const { default: encryption } = await loaded()
  return encryption.encrypt(value, { purpose, ...(expiresIn && { expiresIn }) })
}

/** The sealed value; null where it was sealed for something else or with a key that is gone, or is over. */
export async function unseal(purpose: Purpose, sealed: string): Promise<string | null> {
  const { default: encryption } = await loaded()
  return encryption.decrypt<string>(sealed, purpose)
}
