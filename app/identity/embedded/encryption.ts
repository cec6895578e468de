/** The application's encryption. It exists once the application has booted, which is after routes were declared. */
async function service() {
  const { default: encryption } = await import('@adonisjs/core/services/encryption')
  return encryption
}

/** What was encrypted for one purpose is nothing for another. */
type Purpose = 'client secret' | 'signing key' | 'login form'

/** Seals a value with the application key, for `expiresIn` where that is given. */
export async function seal(purpose: Purpose, value: string, expiresIn?: string): Promise<string> {
  const encryption = await service()
  return encryption.encrypt(value, { purpose, ...(expiresIn && { expiresIn }) })
}

/** The sealed value; null where it was sealed for something else or with a key that is gone, or is over. */
export async function unseal(purpose: Purpose, sealed: string): Promise<string | null> {
  const encryption = await service()
  return encryption.decrypt<string>(sealed, purpose)
}
