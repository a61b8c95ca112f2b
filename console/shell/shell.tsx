// The frame around every screen: navigation, the live connection and its state, the command palette and the help.
import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useRouteContext, useRouter } from '@tanstack/react-router'
import { CircleHelp, LogOut, Pencil, Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { request } from '../state/api.ts'
import { type Command, useCommands } from '../state/commands.ts'
import { countsQuery } from '../state/conversations.ts'
import { useConnectionState, useLive } from '../state/live.ts'
import { reload, useCodeState } from '../state/load-code.ts'
import { SessionProvider, sessionQuery, useSession } from '../state/session.tsx'
import { setTheme } from '../state/theme.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Toasts } from '../ui/toast.tsx'
import { TooltipLayer } from '../ui/tooltip.tsx'
import { t } from '../words/t.ts'
import { AccountMenu } from './account-menu.tsx'
import { placesFor } from './navigation.ts'
import { Places } from './places.tsx'

const CommandPalette = lazy(() => import('./command-palette.tsx'))
const HelpOverlay = lazy(() => import('./help-overlay.tsx'))
const NewMemberships = lazy(() => import('./new-memberships.tsx'))
const OutboxWatch = lazy(async () => {
  await new Promise((resolve) => setTimeout(resolve, OUTBOX_AFTER_MS))
  return import('../screens/inbox/outbox-watch.tsx')
})

/** What the page shows first goes before what was left unsent. */
const OUTBOX_AFTER_MS = 6_000
/** Connection losses shorter than this are not shown. */
const LOST_SHOWN_AFTER_MS = 1_500
/** What a page shows comes first. */
const AFTER_LOADING_MS = 2_000

export const Shell = () => {
  const { session: loaded } = useRouteContext({ from: '/signed' })
  const { data: session = loaded } = useQuery(sessionQuery)
  const navigate = useNavigate()
  const onSwitch = useCallback(() => void navigate({ to: '/inbox' }), [navigate])
  return (
    <>
      <SessionProvider session={session} onSwitch={onSwitch} fallback={<NoWorkspace />}>
        <Frame />
      </SessionProvider>
      <Toasts />
      <TooltipLayer />
    </>
  )
}

const useSignOut = () => {
  const router = useRouter()
  return useCallback(
    async (everywhere = false) => {
      await import('../state/device.ts').then(({ forget }) => forget()).catch(() => {})
      await request('POST', '/sign-out', { body: { everywhere } }).catch(() => {})
      router.options.context.client.clear()
      await router.navigate({ to: '/sign-in' })
    },
    [router],
  )
}

const Frame = () => {
  const signed = useSession()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const [overlay, setOverlay] = useState<'palette' | 'help' | null>(null)
  const places = placesFor(signed)
  const { data: counts } = useQuery(countsQuery(signed.api))
  useLive(useCallback(() => void signOut(), [signOut]))
  useTitle(counts?.unread ?? 0, signed.workspace.name)

  useEffect(() => {
    // A notification may be of another workspace, which a page that is loaded anew can show.
    const open = (path: string): void => location.assign(path)
    const start = () =>
      import('../state/device.ts').then(({ startDevice }) => startDevice(open)).catch(() => {})
    const timer = setTimeout(start, AFTER_LOADING_MS)
    return () => clearTimeout(timer)
  }, [])

  const others = signed.session.workspaces.filter(({ id }) => id !== signed.workspace.id)
  useCommands([
    {
      id: 'palette',
      label: t`Search people, conversations and commands`,
      group: t`General`,
      keys: 'mod+k',
      run: () => setOverlay(overlay === 'palette' ? null : 'palette'),
      inPalette: false,
      whileTyping: true,
    },
    {
      id: 'help',
      label: t`Show keyboard shortcuts`,
      group: t`General`,
      keys: '?',
      icon: CircleHelp,
      run: () => setOverlay('help'),
    },
    ...(signed.can('see_all_conversations')
      ? [
          {
            id: 'new conversation',
            label: t`New conversation`,
            group: t`General`,
            keys: 'c',
            icon: Pencil,
            run: () => void navigate({ to: '/new-conversation' }),
          },
        ]
      : []),
    ...places.map(
      ({ to, label, keys, icon }): Command => ({
        id: `go ${to}`,
        label: t`Go to ${label}`,
        group: t`Go`,
        keys,
        icon,
        run: () => void navigate({ to }),
      }),
    ),
    ...others.map(
      ({ id, name }): Command => ({
        id: `workspace ${id}`,
        label: t`Switch to ${name}`,
        group: t`Workspaces`,
        run: () => signed.switchWorkspace(id),
      }),
    ),
    ...(['light', 'dark', 'system'] as const).map(
      (theme): Command => ({
        id: theme,
        label: t`Theme: ${theme}`,
        group: t`General`,
        run: () => setTheme(theme),
      }),
    ),
    { id: 'out', label: t`Sign out`, group: t`General`, icon: LogOut, run: () => void signOut() },
  ])

  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t`Skip to content`}
      </a>
      <nav className="rail" aria-label={t`Main`}>
        <AccountMenu onHelp={() => setOverlay('help')} onSignOut={signOut} />
        <Places places={places} unread={counts?.unread ?? 0} />
        <div className="rail__foot">
          <Button variant="ghost" icon={Search} onClick={() => setOverlay('palette')}>
            {t`Search`}
          </Button>
          {signed.can('see_all_conversations') && (
            <IconButton
              icon={Pencil}
              label={t`New conversation`}
              keys="c"
              onClick={() => void navigate({ to: '/new-conversation' })}
            />
          )}
          <IconButton
            icon={CircleHelp}
            label={t`Keyboard shortcuts`}
            keys="?"
            onClick={() => setOverlay('help')}
          />
        </div>
      </nav>
      <div className="shell__screen">
        <ConnectionBanner />
        <Suspense>
          <OutboxWatch />
        </Suspense>
        <Suspense>{signed.session.workspaces.some(({ isNew }) => isNew) && <NewMemberships />}</Suspense>
        <div className="shell__content">
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </div>
      </div>
      <Suspense fallback={<span data-opening hidden />}>
        {overlay === 'palette' && <CommandPalette onClose={() => setOverlay(null)} />}
        {overlay === 'help' && <HelpOverlay onClose={() => setOverlay(null)} />}
      </Suspense>
    </div>
  )
}

const Loading = () => (
  <div className="fill" role="status" aria-label={t`Loading`}>
    <Spinner isLarge />
  </div>
)

const BANNERS = {
  here: t`Reconnecting… What you see may be out of date.`,
  missing: t`Reconnecting… What you opened will load when the connection is back.`,
  outdated: t`A new version of Foyer is available. Reload to use it.`,
}

const ConnectionBanner = () => {
  const state = useConnectionState()
  const code = useCodeState()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (state !== 'lost') {
      if (state === 'live') setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), LOST_SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [state])
  if (!isShown && code === 'here') return null
  return (
    <div className="banner banner--warn banner--bar" role="status">
      {code !== 'outdated' && <Spinner />}
      <span>{BANNERS[code]}</span>
      {code === 'outdated' && (
        <Button size="small" onClick={() => void reload()}>
          {t`Reload`}
        </Button>
      )}
    </div>
  )
}

const useTitle = (unread: number, workspace: string) => {
  useEffect(() => {
    navigator.setAppBadge?.(unread).catch(() => {})
    document.title = t`${unread > 0 ? `(${unread > 99 ? '99+' : unread}) ` : ''}${workspace} · Foyer`
  }, [unread, workspace])
}

const NoWorkspace = () => {
  const signOut = useSignOut()
  return (
    <main className="fill">
      <EmptyState
        title={t`You’re not in a workspace`}
        action={<Button onClick={() => void signOut()}>{t`Sign out`}</Button>}
      >
        {t`Ask an admin to add you, then sign in again.`}
      </EmptyState>
    </main>
  )
}
