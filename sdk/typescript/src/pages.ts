// Lists, page by page or row by row.
import type { Call, Client, Query, Request, RequestOptions } from './client.ts'

type Position = { nextCursor?: string | null; page?: number; totalPages?: number }

/**
 * A list. `for await` iterates over all rows, fetching pages as needed; `page()` returns the first page as the API
 * returned it.
 */
export class Pages<Row, Page> implements AsyncIterable<Row> {
  readonly #client: Client
  readonly #request: Request
  readonly #rows: string
  readonly #options: RequestOptions

  constructor(client: Client, request: Request, rows: string, options: RequestOptions) {
    this.#client = client
    this.#request = request
    this.#rows = rows
    this.#options = options
  }

  /** The first page. */
  page(): Call<Page> {
    return this.#client.call<Page>(this.#request, this.#options)
  }

  /** All pages, one after the other. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const seen = new Set<unknown>()
    let more: Query = {}
    for (;;) {
      const request = { ...this.#request, query: { ...this.#request.query, ...more } }
      const page = await this.#client.call<Page>(request, this.#options)
      yield page
      const { nextCursor, page: number = 1, totalPages = 1 } = page as Position
      if (nextCursor === undefined && number < totalPages) more = { page: number + 1 }
      else if (nextCursor) more = { cursor: nextCursor }
      else return
      const next = nextCursor ?? number
      if (seen.has(next)) throw new Error(`${this.#request.path} returned a cursor that was already used`)
      seen.add(next)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for await (const page of this.pages()) yield* (page as Record<string, Row[]>)[this.#rows]!
  }

  /** Up to this many rows. */
  async firstN(count: number): Promise<Row[]> {
    const rows: Row[] = []
    if (count <= 0) return rows
    for await (const row of this) {
      rows.push(row)
      if (rows.length >= count) break
    }
    return rows
  }
}
