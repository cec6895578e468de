export { serviceOrigin } from '#identity/lifecycle/service_origin'
