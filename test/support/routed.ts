import { type Address, addressOf, openRoutes, type Route } from '../../src/http/contract/router.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'

type Found = { readonly address: Address; route?: Route }

const find = openRoutes<Found>(endpoints, {
  handle: (route) => [
    async ({ state }) => {
      state.route = route
    },
  ],
  refuseMethod: () => async () => {},
})

/** Returns the route that a request reaches, and the parts of its path; no route if there is no endpoint. */
export const routeAt = (method: string, path: string): Found => {
  const state: Found = { address: addressOf(path) }
  // the library hands a request to the handlers before anything waits
  void find({ method, state }, async () => {})
  return state
}
