import type { FlowTemplate } from './template.ts'

const ASK_AGAIN = { retry: { times: 1, then: 'team' }, timeout: { after: 'PT4H', then: 'end' } }

export const ORDER_STATUS: FlowTemplate = {
  id: 'order-status',
  name: 'Order status',
  about: 'Asks for the order number, looks it up in your shop, and replies with its status or hands over.',
  needs: [
    {
      kind: 'action',
      id: 'need:order-status',
      name: 'Look up an order',
      about: 'Takes “number” and keeps “status” and, if your shop knows it, “expectedOn” (a date).',
    },
  ],
  beforePublishing: [
    'Create an action in the settings that looks up an order in your shop, and choose it in the block “Order number”.',
    'If all your order numbers look alike, add their pattern to the question, so that typos are noticed at once.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      {
        on: 'message',
        channels: ['web', 'whatsapp', 'facebook', 'telegram', 'sms'],
        words: [
          'where is my order',
          'where’s my order',
          'order status',
          'track my order',
          'tracking number',
          'wo ist meine bestellung',
          'wo bleibt meine bestellung',
          'bestellstatus',
          'lieferstatus',
          'sendungsverfolgung',
          'dónde está mi pedido',
          'estado de mi pedido',
          'estado del pedido',
          'seguimiento del pedido',
          'onde está meu pedido',
          'onde está o meu pedido',
          'status do pedido',
          'rastrear pedido',
          'où est ma commande',
          'suivi de commande',
          'suivre ma commande',
        ],
      },
    ],
    interrupts: true,
    variables: {
      order: { type: 'text' },
      again: { type: 'text' },
      more: { type: 'yesno', default: false },
    },
    start: 'order',
    blocks: {
      order: {
        title: 'Order number',
        steps: [
          {
            id: 's1',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'Let’s look it up. What’s your order number?',
              de: 'Das sehen wir gleich nach. Wie lautet Ihre Bestellnummer?',
              es: 'Vamos a consultarlo. ¿Cuál es su número de pedido?',
              pt: 'Vamos consultar. Qual é o número do seu pedido?',
              fr: 'Nous allons vérifier. Quel est votre numéro de commande ?',
            },
            store: { run: 'run.order', contact: 'contact.fields.order' },
            ...ASK_AGAIN,
          },
          {
            id: 's2',
            type: 'call',
            actionId: 'need:order-status',
            with: { number: { from: 'run.order' } },
            keep: 'order',
            paths: { notFound: 'missing', refused: 'team' },
            onFailed: 'team',
          },
          {
            id: 's3',
            type: 'branch',
            paths: [
              { title: 'With a date', when: { value: 'call.order.expectedOn', op: 'isSet' }, goto: 'dated' },
              { title: 'Without one', when: { value: 'call.order.status', op: 'isSet' }, goto: 'undated' },
            ],
            else: 'team',
          },
        ],
      },
      dated: {
        title: 'Status and date',
        steps: [
          {
            id: 's4',
            type: 'send',
            text: {
              en: 'Order {{run.order}}: {{call.order.status}}. Expected delivery: {{call.order.expectedOn|date}}.',
              de: 'Bestellung {{run.order}}: {{call.order.status}}. Voraussichtliche Zustellung: {{call.order.expectedOn|date}}.',
              es: 'Pedido {{run.order}}: {{call.order.status}}. Entrega prevista: {{call.order.expectedOn|date}}.',
              pt: 'Pedido {{run.order}}: {{call.order.status}}. Entrega prevista: {{call.order.expectedOn|date}}.',
              fr: 'Commande {{run.order}} : {{call.order.status}}. Livraison prévue : {{call.order.expectedOn|date}}.',
            },
          },
        ],
        next: 'more',
      },
      undated: {
        title: 'Status only',
        steps: [
          {
            id: 's5',
            type: 'send',
            text: {
              en: 'Order {{run.order}}: {{call.order.status}}.',
              de: 'Bestellung {{run.order}}: {{call.order.status}}.',
              es: 'Pedido {{run.order}}: {{call.order.status}}.',
              pt: 'Pedido {{run.order}}: {{call.order.status}}.',
              fr: 'Commande {{run.order}} : {{call.order.status}}.',
            },
          },
        ],
        next: 'more',
      },
      missing: {
        title: 'Not found',
        steps: [
          {
            id: 's6',
            type: 'ask',
            answer: 'choice',
            text: {
              en: 'We couldn’t find an order {{run.order}}. Would you like to check the number, or talk to us?',
              de: 'Eine Bestellung {{run.order}} haben wir nicht gefunden. Möchten Sie die Nummer prüfen oder mit uns sprechen?',
              es: 'No encontramos el pedido {{run.order}}. ¿Desea revisar el número o hablar con nosotros?',
              pt: 'Não encontramos o pedido {{run.order}}. Você quer conferir o número ou falar com a gente?',
              fr: 'Nous ne trouvons pas de commande {{run.order}}. Souhaitez-vous vérifier le numéro ou nous parler ?',
            },
            store: 'run.again',
            options: [
              {
                id: 'again',
                title: {
                  en: 'Enter it again',
                  de: 'Nummer neu eingeben',
                  es: 'Escribirlo de nuevo',
                  pt: 'Digitar de novo',
                  fr: 'Saisir à nouveau',
                },
                goto: 'order',
              },
              {
                id: 'person',
                title: {
                  en: 'Talk to someone',
                  de: 'Mit uns sprechen',
                  es: 'Hablar con alguien',
                  pt: 'Falar com alguém',
                  fr: 'Parler à quelqu’un',
                },
                goto: 'team',
              },
            ],
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT4H', then: 'end' },
          },
        ],
      },
      more: {
        title: 'Anything else?',
        steps: [
          {
            id: 's7',
            type: 'ask',
            answer: 'yesno',
            text: {
              en: 'Is there anything else we can do for you?',
              de: 'Können wir sonst noch etwas für Sie tun?',
              es: '¿Podemos ayudarle en algo más?',
              pt: 'Podemos ajudar em mais alguma coisa?',
              fr: 'Pouvons-nous faire autre chose pour vous ?',
            },
            store: 'run.more',
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT1H', then: 'end' },
          },
          {
            id: 's8',
            type: 'branch',
            paths: [{ title: 'Yes', when: { value: 'run.more', op: 'is', to: true }, goto: 'team' }],
            else: 'bye',
          },
        ],
      },
      bye: {
        title: 'Goodbye',
        steps: [
          {
            id: 's9',
            type: 'send',
            text: {
              en: 'You’re welcome. Have a good day!',
              de: 'Gern geschehen. Einen schönen Tag noch!',
              es: 'Ha sido un placer. ¡Que tenga un buen día!',
              pt: 'Foi um prazer ajudar. Tenha um bom dia!',
              fr: 'Avec plaisir. Bonne journée !',
            },
          },
        ],
        next: 'end',
      },
      team: {
        title: 'Over to the team',
        steps: [
          {
            id: 's10',
            type: 'people',
            text: {
              en: 'A teammate will look into it and reply here.',
              de: 'Jemand aus unserem Team sieht sich das an und antwortet Ihnen hier.',
              es: 'Alguien de nuestro equipo lo revisará y le responderá aquí.',
              pt: 'Alguém da nossa equipe vai verificar e responder por aqui.',
              fr: 'Une personne de notre équipe s’en occupe et vous répondra ici.',
            },
            summary: 'answers',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'A known order is answered without the team',
      channel: 'whatsapp',
      language: 'de',
      calls: [
        { action: 'order', answer: { status: 200, body: { status: 'Unterwegs', expectedOn: '2026-11-25' } } },
      ],
      turns: [
        { say: 'Wo ist meine Bestellung?' },
        { expect: { text: 'Bestellnummer', waits: 's1' } },
        { say: 'AB-12345' },
        { expect: { text: 'Bestellung AB-12345: Unterwegs. Voraussichtliche Zustellung:', waits: 's7' } },
        { say: 'nein danke' },
        {
          expect: {
            text: 'Gern geschehen',
            ended: 'completed',
            handedOver: false,
            never: ['undefined', '{{'],
          },
        },
      ],
    },
    {
      name: 'An unknown order can be entered again, and goes to the team when the shop is down',
      channel: 'telegram',
      language: 'en',
      calls: [
        { action: 'order', answer: { status: 404 } },
        { action: 'order', answer: { status: 503 } },
      ],
      turns: [
        { say: 'where is my order' },
        { say: 'AB-1' },
        { expect: { text: 'couldn’t find an order AB-1', choices: ['again', 'person'], waits: 's6' } },
        { tap: 'again' },
        { say: 'AB-12345' },
        {
          expect: {
            text: 'A teammate will look into it',
            handedOver: true,
            set: { 'contact.fields.order': 'AB-12345' },
          },
        },
      ],
    },
  ],
}
