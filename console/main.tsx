import './ui/styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { lookAhead } from './look-ahead.ts'
import { makeRouter } from './router.tsx'
import { ApiError, onSignedOut } from './state/api.ts'
import { startKeyboard } from './state/commands.ts'
import { FreshQueryClient } from './state/query-client.ts'
import { applyTheme } from './state/theme.ts'

const RETRIES_MAX = 3
const RETRY_WAIT_MAX_MS = 15_000

applyTheme()
startKeyboard()

const client = new FreshQueryClient({
  defaultOptions: {
    queries: {
      // Changes arrive through the live stream; see state/live.ts.
      staleTime: 60_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        failures < RETRIES_MAX &&
        (!(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500),
      retryDelay: (failures, error) =>
        Math.min(
          Math.max(500 * 2 ** failures, error instanceof ApiError ? error.retryAfterMs : 0),
          RETRY_WAIT_MAX_MS,
        ),
    },
  },
})
lookAhead(client)
const router = makeRouter(client)

onSignedOut(() => {
  if (location.pathname === '/sign-in') return
  client.clear()
  void router.navigate({ to: '/sign-in', search: { to: location.pathname + location.search } })
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
