// Search without a server: a page that is opened from a folder may not start a worker, so a hidden frame is one.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script>postMessage = (data) => parent.postMessage(data, "*")</script><script src="${url}"></script>`;
      this.loaded = new Promise((resolve) => frame.addEventListener("load", () => resolve(frame.contentWindow)));
      window.addEventListener("message", (event) => {
        if (event.source === frame.contentWindow) this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
      document.documentElement.append(frame);
    }

    async postMessage(data) {
      const target = await this.loaded;
      target.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
