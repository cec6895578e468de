/** Another process that receives access changes and prints them. Tests pause and kill it. */
import { subscribeToAccessChanges } from '#identity/embedded/access_changes'
import { loadSettings } from '#runtime/application'

await loadSettings()
await subscribeToAccessChanges((whose) => process.send!(whose))
process.send!('listening')
