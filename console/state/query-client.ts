import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query'

/**
 * The library doesn't repeat a fetch in progress when its query is invalidated, unless the query is on screen and has
 * data. The response may be older than the change, and would count as fresh. Here such queries are invalidated once
 * more when they have it.
 */
export class FreshQueryClient extends QueryClient {
  override async invalidateQueries(
    filters: InvalidateQueryFilters = {},
    options?: InvalidateOptions,
  ): Promise<void> {
    const unrepeated = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter((query) => query.state.data === undefined || !query.isActive())
    await super.invalidateQueries(filters, options)
    if (unrepeated.length === 0) return
    await Promise.allSettled(unrepeated.map(({ promise }) => promise))
    await super.invalidateQueries({ predicate: (query) => unrepeated.includes(query) }, options)
  }
}
