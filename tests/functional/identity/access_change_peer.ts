/** Another process that hears of standing, to be held and killed; says what it hears. */
import { subscribeToAccessChanges } from '#identity/embedded/access_changes'

await subscribeToAccessChanges((whose) => process.send!(whose))
process.send!('listening')
