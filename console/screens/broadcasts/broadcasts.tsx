import { Page } from '../../ui/page.tsx'

export const Broadcasts = () => <Page title="Broadcasts">{null}</Page>
