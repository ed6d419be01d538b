// A browser starts no worker from a file. So that the search works from disk, its script runs in a hidden frame.
// The site loads this instead of the package of that name, which would come from another server.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow, script = inside.document.createElement("script");
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((done) => script.addEventListener("load", done));
      this.postMessage = (data) =>
        this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
      script.src = url;
      inside.document.head.append(script);
    }
  };
}
