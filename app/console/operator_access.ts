import { requiresInMasterRealm } from '#kernel/access'

/** The permissions of operators, who see the state of the installation. */
export const OPERATOR_ACCESS = requiresInMasterRealm('service_manage')
