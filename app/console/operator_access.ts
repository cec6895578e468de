import { requiresInMasterRealm } from '#kernel/access'

/** What operators may do: see the state of the installation. */
export const OPERATOR_ACCESS = requiresInMasterRealm('service_manage')
