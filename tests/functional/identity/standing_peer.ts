/** Another process that hears of standing, to be held and killed; says what it hears. */
import { followStanding } from '#identity/embedded/standing'

await followStanding((whose) => process.send!(whose))
process.send!('listening')
