import {
  all,
  either,
  holding,
  inMaster,
  inRealm,
  itsClient,
  loggedIn,
  type Rule,
} from '#tests/helpers/world/access_rules'

/** Who may use which route of messenger; of mailboxes, whose. */
export const MESSENGER: Readonly<Record<string, Rule>> = {
  sendMessage: loggedIn,
  pullMessages: itsClient,
  acknowledgeMessages: loggedIn,
  streamMailbox: loggedIn,
  listExpiredMessages: all(holding('service_manage'), inMaster),
  readMailboxes: either(itsClient, inRealm),
}
