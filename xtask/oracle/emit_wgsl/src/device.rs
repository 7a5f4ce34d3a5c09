//! A device, and launches on it.

use std::error::Error;

use wgpu::{BufferUsages, PollType, ShaderModule, ShaderSource};

/// A device of Vulkan.
pub(crate) struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
}

impl Device {
    /// The first one that there is.
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
        let limits = adapter.limits();
        let wanted = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted))?;
        let info = adapter.get_info();
        Ok(Device { device, queue, name: format!("{} ({})", info.name, info.driver_info) })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A module; what is no WGSL ends the program with naga's message.
    pub(crate) fn module(&self, text: &str) -> ShaderModule {
        let source = ShaderSource::Wgsl(text.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }

    /// Runs an entry point of two buffers at these bindings, and of a number behind them if there is one; returns what the
    /// second then holds.
    pub(crate) fn run(
        &self,
        module: &ShaderModule,
        entry: &str,
        bindings: [u32; 2],
        (src, dst): (&[u8], &[u8]),
        argument: Option<i32>,
        groups: u32,
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        });
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffers = [self.buffer(src, storage), self.buffer(dst, storage)];
        let back = self.buffer(dst, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let number = self.buffer(
            &argument.unwrap_or(0).to_le_bytes(),
            BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        );
        let mut entries: Vec<wgpu::BindGroupEntry<'_>> = bindings
            .iter()
            .zip(&buffers)
            .map(|(&binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        if argument.is_some() {
            entries.push(wgpu::BindGroupEntry {
                binding: bindings[1] + 1,
                resource: number.as_entire_binding(),
            });
        }
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&buffers[1], 0, &back, 0, dst.len() as u64);
        self.queue.submit([encoder.finish()]);
        back.map_async(wgpu::MapMode::Read, .., |_| ());
        self.device.poll(PollType::wait_indefinitely())?;
        Ok(back.get_mapped_range(..)?.to_vec())
    }

    fn buffer(&self, bytes: &[u8], usage: BufferUsages) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.len() as u64,
            usage,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }
}
